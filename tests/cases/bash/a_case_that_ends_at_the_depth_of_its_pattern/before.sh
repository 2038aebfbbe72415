case x in
    a)
        b
    ;;
    c) d ;;
esac
