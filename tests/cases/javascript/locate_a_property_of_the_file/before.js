import { createStore } from './store.js'

const { readFile, writeFile: write } = require('fs')
const [, second] = process.argv
export const { useUser, useLogin: useSession } = configureAuth({ retries: 3 })
export const [first] = useUser()

const routes = {
  home: { path: '/', title: 'Home' },
  'sign-in': '/sign-in',
  open (id) {
    return { home: id }
  }
}

var legacy = { home: '/index' }

export const limits = {
  // Of one page.
  size: 20,
  depth: 4
}

function start () {
  const local = { home: 1 }
  return local.home
}

module.exports = { start, mode: 'test' }

export default { name: 'app', routes }
