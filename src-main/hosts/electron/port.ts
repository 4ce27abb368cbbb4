import { type IpcMain, type IpcMainEvent, MessageChannelMain, type MessagePortMain, type WebContents } from 'electron'
import { isOwn } from './address.ts'

/** Channel names, which the preload repeats. */
export const wantPort = 'inference-studio:want-port'
export const portReply = 'inference-studio:port'

/**
 * Gives our page one end of a message channel on request, and passes the other end to `serve`, with the page.
 * A page has one port. A new request, a reload, a crash or a closed window closes it, which aborts its streams.
 */
export function givePorts(ipc: IpcMain, serve: (port: MessagePortMain, contents: WebContents) => void): void {
  const given = new WeakMap<WebContents, MessagePortMain>()
  ipc.on(wantPort, (event) => {
    if (!isOwnMainFrame(event)) return
    given.get(event.sender)?.close()
    const { port1, port2 } = new MessageChannelMain()
    given.set(event.sender, port1)
    serve(port1, event.sender)
    port1.start()
    event.senderFrame?.postMessage(portReply, null, [port2])
  })
}

/** Whether the request is from the main frame of our page. `senderFrame` is null when that frame has gone. */
function isOwnMainFrame(event: IpcMainEvent): boolean {
  const frame = event.senderFrame
  return frame !== null && frame.parent === null && frame === event.sender.mainFrame && isOwn(frame.url)
}
