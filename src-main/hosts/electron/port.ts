import { type IpcMain, type IpcMainEvent, MessageChannelMain, type MessagePortMain, type WebContents } from 'electron'
import { isOwn } from './address.ts'

/** The two names that the preload knows too. */
export const wantPort = 'inference-studio:want-port'
export const portReply = 'inference-studio:port'

/**
 * Answers each page of ours that asks with one end of a channel and gives the other to `serve`. A page has one port: a new
 * one closes it, and so does the end of the page (reload, crash, closed window), because its own end dies with it. A closed
 * port aborts the streams that ran through it.
 */
export function givePorts(ipc: IpcMain, serve: (port: MessagePortMain) => void): void {
  const given = new WeakMap<WebContents, MessagePortMain>()
  ipc.on(wantPort, (event) => {
    if (!isOwnMainFrame(event)) return
    given.get(event.sender)?.close()
    const { port1, port2 } = new MessageChannelMain()
    given.set(event.sender, port1)
    serve(port1)
    port1.start()
    event.senderFrame?.postMessage(portReply, null, [port2])
  })
}

/** `senderFrame` is null once the frame that asked has gone: then there is nobody to answer. */
function isOwnMainFrame(event: IpcMainEvent): boolean {
  const frame = event.senderFrame
  return frame !== null && frame.parent === null && frame === event.sender.mainFrame && isOwn(frame.url)
}
