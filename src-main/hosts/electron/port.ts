import { type IpcMain, type IpcMainEvent, MessageChannelMain, type MessagePortMain, type WebContents } from 'electron'
import { isOwn } from './address.ts'

/** The two names that the preload knows too. */
export const wantPort = 'inference-studio:want-port'
export const portReply = 'inference-studio:port'

/**
 * Answers each page of ours that asks with one end of a channel and gives the other to `serve`. A page has one port: a new
 * one, a reload and the window's end close it, which aborts the streams that ran through it.
 */
export function givePorts(ipc: IpcMain, serve: (port: MessagePortMain) => void): void {
  const open = new Map<WebContents, MessagePortMain>()
  const close = (contents: WebContents): void => {
    open.get(contents)?.close()
    open.delete(contents)
  }
  const watched = new WeakSet<WebContents>()

  ipc.on(wantPort, (event) => {
    if (!isOwnMainFrame(event)) return
    const contents = event.sender
    close(contents)
    if (!watched.has(contents)) {
      watched.add(contents)
      contents.on('did-start-navigation', (details) => {
        if (details.isMainFrame && !details.isSameDocument) close(contents)
      })
      contents.on('render-process-gone', () => close(contents))
      contents.once('destroyed', () => close(contents))
    }
    const { port1, port2 } = new MessageChannelMain()
    open.set(contents, port1)
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
