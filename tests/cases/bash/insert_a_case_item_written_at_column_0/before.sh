pay() {
  case "$1" in
    card)
      echo "paid by card"
      ;;
    *)
      echo "not paid"
      ;;
  esac
}
