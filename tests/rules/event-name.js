emit('onUserLogin', user, 1);
emit('file_saved');
emit('ready', 1);
function f() {
  emit(
    'pageClosed', // the last one
    {
      page: 1,
    },
  );
}
