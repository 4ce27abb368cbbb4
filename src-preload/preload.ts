import { contextBridge, ipcRenderer } from 'electron'

const wantPort = 'inference-studio:want-port'
const portReply = 'inference-studio:port'

contextBridge.exposeInMainWorld('inferenceStudio', { host: 'desktop' })

window.addEventListener('message', (event) => {
  if (event.source === window && event.origin === location.origin && event.data === wantPort) ipcRenderer.send(wantPort)
})

// A port can't cross the context bridge; a message to the page's own window carries it.
ipcRenderer.on(portReply, (event) => {
  window.postMessage(portReply, location.origin, event.ports)
})
