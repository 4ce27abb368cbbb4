// Worker of run.mjs: finds where the main thread is while nothing else can run there. On the desktop that is a frozen program.
import { Session } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'

/** A stall this long is felt, ms. */
const feltMs = 200
const everyMs = 50

const session = new Session()
session.connectToMainThread()

let seen = 0
let seenAt = performance.now()
/** How much later than planned this thread itself ran since then, ms: on a busy machine, all threads wait for a processor. */
let late = 0
let lastAt = seenAt
/** Null while there is no stall, '' while its stack is asked for. */
let stack = null
/** Addresses of scripts by their id. */
const scripts = new Map()

session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params.url))
// One question at a time: the answer comes when the main thread stops at its next call or loop.
session.on('Debugger.paused', ({ params }) => {
  const lines = params.callFrames.map(({ functionName, location }) => {
    const url = scripts.get(location.scriptId) || 'a test'
    return `    at ${functionName || '(anonymous)'} (${url}:${location.lineNumber + 1}:${location.columnNumber + 1})`
  })
  stack = lines.slice(0, 12).join('\n')
  session.post('Debugger.resume')
  session.post('Debugger.disable')
})

setInterval(() => {
  const now = performance.now()
  late += Math.max(0, now - lastAt - everyMs)
  lastAt = now
  const beat = Atomics.load(workerData, 0)
  const stalledMs = now - seenAt - late
  if (beat === seen) {
    if (stalledMs < feltMs || stack !== null) return
    stack = ''
    session.post('Debugger.enable')
    session.post('Debugger.pause')
    return
  }
  if (stack) parentPort.postMessage(`The main thread answered nothing for about ${Math.round(stalledMs)} ms:\n${stack}`)
  if (stack !== '') stack = null
  seen = beat
  seenAt = now
  late = 0
}, everyMs)
