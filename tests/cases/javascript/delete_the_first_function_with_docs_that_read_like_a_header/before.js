// Reads the @module of a file. The @flow of events: eslint-disable is not looked at.
// Copyright holders are sorted.
function read(file) {
  return file.module;
}

function write(file) {
  return file;
}
