class One {
  def close(): Unit = {
    log("closed")
  }
}

object Two {
  def close(): Unit = {
    log("closed")
  }
}
