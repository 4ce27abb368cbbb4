/**
 * The renderer's half, evaluated in an isolated world of each page before its own scripts: the `electron` module that a
 * sandboxed preload may require, and the far ends of ports. `say` is a CDP binding of that world alone.
 */
export function preloadWorld(preload, encode, decode) {
  if (window !== window.top) return
  const say = globalThis.__electronSay
  delete globalThis.__electronSay
  const only = (name, known) =>
    new Proxy(known, {
      get(target, key) {
        if (key in target || typeof key === 'symbol') return target[key]
        throw new Error(`The stand-in has no ${name}.${String(key)}`)
      },
    })
  const listeners = new Map()
  const ports = new Map()
  globalThis.__electronHear = (text) => {
    const { channel, message, made, port, data, closed } = JSON.parse(text)
    if (channel !== undefined) {
      const open = made.map((id) => {
        const { port1, port2 } = new MessageChannel()
        ports.set(id, port1)
        port1.onmessage = (event) => say(JSON.stringify({ port: id, data: encode(event.data) }))
        port1.onclose = () => say(JSON.stringify({ port: id, closed: true }))
        return port2
      })
      for (const listener of listeners.get(channel) ?? [])
        listener({ ports: open, sender: ipcRenderer }, decode(message))
    } else if (closed) ports.get(port)?.close()
    else ports.get(port)?.postMessage(decode(data))
  }
  const ipcRenderer = only('ipcRenderer', {
    send: (channel, ...args) => say(JSON.stringify({ channel, args: encode(args) })),
    on(channel, listener) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener])
      return ipcRenderer
    },
  })
  const contextBridge = only('contextBridge', {
    exposeInMainWorld(key, api) {
      // Functions are not carried: the wire throws on them, as this stand-in does on all that it does not know.
      say(JSON.stringify({ expose: key, api: encode(api) }))
    },
  })
  const modules = { electron: only('electron', { contextBridge, ipcRenderer }) }
  const require = (name) => {
    if (name in modules) return modules[name]
    throw new Error(`module not found: ${name}`)
  }
  const module = { exports: {} }
  new Function('require', 'module', 'exports', preload)(require, module, module.exports)
}
