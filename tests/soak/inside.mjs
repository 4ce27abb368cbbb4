// Reads the memory of a Node process after a collection, through its inspector.

/** @param port that the process was started with: `--inspect=127.0.0.1:PORT` */
export async function openInspector(port) {
  const [{ webSocketDebuggerUrl }] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()
  const socket = new WebSocket(webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = () => reject(new Error('The inspector does not answer.'))
  })
  const waiting = new Map()
  let last = 0
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(data)
    waiting.get(id)?.(result)
    waiting.delete(id)
  }
  const call = (method, params = {}) =>
    new Promise((resolve) => {
      last += 1
      waiting.set(last, resolve)
      socket.send(JSON.stringify({ id: last, method, params }))
    })
  return {
    /** Bytes on the heap and in buffers that are still referenced. */
    async live() {
      // Twice, because finalizers that the first collection runs may free more.
      for (let n = 0; n < 2; n += 1) await call('HeapProfiler.collectGarbage')
      const { result } = await call('Runtime.evaluate', {
        expression: 'JSON.stringify(process.memoryUsage())',
      })
      const { heapUsed, external } = JSON.parse(result.value)
      return heapUsed + external
    },
    close: () => socket.close(),
  }
}
