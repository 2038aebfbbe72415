case x in
    a)
	b
	;;
esac
if c; then
	d
fi
