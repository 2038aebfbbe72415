object Dates {
  /** What follows reads. */

  /** Reads one. */
  def read = 1

  def write = 2
}
