retry(async () => load(), async () => {
  stop();
});
