/**
 * The renderer's half, evaluated in each document before its own scripts: in the page's world the far end of the context
 * bridge, in an isolated world the `electron` module that a sandboxed preload may require. `bridge` is the secret name of
 * the one event between the two; `say` a DevTools binding that exists in the isolated world alone.
 */
export function pageWorld(bridge, decode) {
  if (window !== window.top) return
  // Cache Storage accepts http and https alone; the page's real scheme is neither.
  const refuse = () =>
    Promise.reject(new TypeError("Failed to execute 'put' on 'Cache': Request scheme 'app' is unsupported"))
  for (const name of ['put', 'add', 'addAll']) Cache.prototype[name] = refuse
  const expose = (event) => {
    const { key, api } = JSON.parse(event.detail)
    if (key === undefined) return window.removeEventListener(bridge, expose)
    const value = Object.freeze(decode(api))
    Object.defineProperty(window, key, { value, enumerable: true, writable: false, configurable: false })
  }
  window.addEventListener(bridge, expose)
}

export function preloadWorld(preload, bridge, sayName, encode, decode, inFrames) {
  if (window !== window.top && !inFrames) return
  const say = (what) => globalThis[sayName](JSON.stringify(what))
  const only = (name, known) =>
    new Proxy(known, {
      get(target, key) {
        if (key in target || typeof key === 'symbol') return target[key]
        throw new Error(`The stand-in for electron does not know ${name}.${String(key)}`)
      },
    })
  const cross = (detail) => window.dispatchEvent(new CustomEvent(bridge, { detail: JSON.stringify(detail) }))
  let bridgeOpen = true
  const contextBridge = only('contextBridge', {
    exposeInMainWorld(key, api) {
      if (!bridgeOpen) throw new Error('The stand-in for electron exposes nothing once the preload has run')
      // Data alone is carried: `encode` throws on a function, as this stand-in does on all that it does not know.
      cross({ key, api: encode(api) })
    },
  })
  const listeners = new Map()
  const ipcRenderer = only('ipcRenderer', {
    send: (channel, ...args) => say({ channel, args: encode(args) }),
    on(channel, listener) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener])
      return ipcRenderer
    },
  })

  const ports = new Map()
  const openPort = (id) => {
    const { port1, port2 } = new MessageChannel()
    ports.set(id, port1)
    port1.onmessage = (event) => say({ port: id, data: encode(event.data) })
    port1.addEventListener('close', () => say({ port: id, closed: true }))
    return port2
  }
  globalThis.__electronHear = (text) => {
    const { channel, message, made, port, data, closed } = JSON.parse(text)
    if (channel !== undefined) {
      const event = { ports: made.map(openPort), sender: ipcRenderer }
      for (const listener of listeners.get(channel) ?? []) listener(event, decode(message))
    } else if (closed) {
      ports.get(port)?.close()
      ports.delete(port)
    } else ports.get(port)?.postMessage(decode(data))
  }

  // A right click that the page leaves to the browser.
  window.addEventListener('contextmenu', (event) => {
    if (event.defaultPrevented) return
    const { target, clientX: x, clientY: y } = event
    const image = target.closest('img')
    say({
      contextMenu: {
        ...{ x, y, selectionText: String(getSelection()), linkURL: target.closest('a')?.href ?? '' },
        ...{ mediaType: image ? 'image' : 'none', srcURL: image?.src ?? '' },
        isEditable: target.closest('textarea, input, [contenteditable="true"]') !== null,
      },
    })
  })

  const require = (name) => {
    if (name === 'electron') return only('electron', { contextBridge, ipcRenderer })
    throw new Error(`module not found: ${name}`)
  }
  const module = { exports: {} }
  preload(require, module, module.exports)
  bridgeOpen = false
  cross({})
}
