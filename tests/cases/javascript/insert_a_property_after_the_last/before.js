const assert = require('assert')
  , fs = require('fs')
  , old = 1

exports.open = function (name) {
  return fs.openSync(name)
}

// Closes it.
module.exports.close = (fd) => {
  fs.closeSync(fd)
}

Store.prototype.get = function get (key) {
  const found = this.all[key]
  ;[1, 2].forEach(n => { found.add(n) })
  return found
}

class Queue {
  first = 1
  second = null
  push (item) {
    this.items.push(item)
  }
}

const api = {
  list: function () { return [] },
  get (id) {
    switch (id) {
      case 1:
        return `
  one`
      default: {
        return null
      }
    }
  },
  drop: async (id) => {},
  'a-b': 1
}
