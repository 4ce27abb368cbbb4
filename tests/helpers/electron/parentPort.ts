// Loaded first in a process that replaces a utility process: its channel to the parent, with the interface that Electron gives it.
Object.assign(process, {
  parentPort: {
    postMessage: (message: object) => void process.send?.(message),
    on: (_event: 'message', listener: (event: { data: unknown }) => void) =>
      void process.on('message', (data) => listener({ data })),
  },
})
// A utility process ends with its parent.
process.on('disconnect', () => process.exit())
