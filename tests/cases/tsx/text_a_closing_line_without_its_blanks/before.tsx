export const view = () => {
  return connect(
    state
  ).subscribe((message: any) => {
    show(message)
  })
}
