// treegraft: checks each edit before opencode makes it. Written by `treegraft client install opencode --hook`, removed by
// `treegraft client uninstall opencode`.
import { spawn } from "node:child_process"

const command = "COMMAND"
const timeout = "TIMEOUT"
const tools = "TOOLS"

// Returns the answer of `treegraft hook` to an event: empty if it has none, or cannot run.
function answerTo(event) {
  return new Promise((resolve) => {
    const hook = spawn(command, { shell: true, stdio: ["pipe", "pipe", "ignore"], timeout, windowsHide: true })
    let answer = ""
    hook.stdout.setEncoding("utf8")
    hook.stdout.on("data", (part) => (answer += part))
    hook.stdin.on("error", () => {})
    hook.on("error", () => resolve({}))
    hook.on("close", () => {
      try {
        resolve(JSON.parse(answer))
      } catch {
        resolve({})
      }
    })
    hook.stdin.end(JSON.stringify(event))
  })
}

export const Treegraft = async ({ directory }) => {
  const notes = new Map()
  return {
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      if (!tools.includes(tool)) return
      const event = { hook_event_name: "tool.execute.before", tool, sessionID, cwd: directory, args }
      const { deny, note } = await answerTo(event)
      if (deny) throw new Error(deny)
      if (note) notes.set(callID, note)
    },
    "tool.execute.after": async ({ callID }, output) => {
      if (notes.has(callID)) output.output += `\n\n${notes.get(callID)}`
      notes.delete(callID)
    },
  }
}
