import { type DragEvent as ReactDragEvent, useState } from 'react'

type Drag = Pick<DragEvent | ReactDragEvent, 'dataTransfer'>

/** What is dragged since a drag began in this window. */
let dragged: EventTarget | null = null

/**
 * Whether files are dragged from outside. For the browser, a picture of this page that is dragged is a file too. A dragged element that was
 * removed from the page gets no `dragend`.
 */
export function dragsFiles({ dataTransfer }: Drag): boolean {
  const isOurs = dragged instanceof Node && dragged.isConnected
  return !isOurs && (dataTransfer?.types.includes('Files') ?? false)
}

/**
 * Ignores files and links that are dropped where nothing takes them, because the browser would open them in place of this window. A text field
 * takes links. Call once per window, before other listeners of `window`.
 */
export function ignoreStrayDrops(signal: AbortSignal): void {
  const ignore = (event: DragEvent): void => {
    if (event.defaultPrevented || !event.dataTransfer) return
    const { types } = event.dataTransfer
    const isField =
      event.target instanceof Element && event.target.closest('input, textarea, [contenteditable]') !== null
    if (!types.includes('Files') && (isField || !types.includes('text/uri-list'))) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'none'
  }
  addEventListener('dragstart', ({ target }) => (dragged = target), { signal, capture: true })
  addEventListener('dragend', () => (dragged = null), { signal, capture: true })
  addEventListener('dragover', ignore, { signal })
  addEventListener('drop', ignore, { signal })
}

/** Makes an element accept dropped files: spread `handlers` on the element. `over` is true while files are dragged over the element. */
export function useFileDrop(onFiles: (files: File[]) => void) {
  const [over, setOver] = useState(false)
  return {
    over,
    handlers: {
      onDragOver: (event: ReactDragEvent) => {
        if (!dragsFiles(event)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'copy'
        setOver(true)
      },
      onDragLeave: (event: ReactDragEvent) => {
        const inside = event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)
        if (!inside) setOver(false)
      },
      onDrop: (event: ReactDragEvent) => {
        if (!dragsFiles(event)) return
        event.preventDefault()
        setOver(false)
        onFiles([...event.dataTransfer.files])
      },
    },
  }
}
