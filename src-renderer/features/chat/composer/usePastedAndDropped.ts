import { type RefObject, useEffect, useState } from 'react'
import { addFiles } from '../documents/addFiles.ts'

const filesIn = (transfer: DataTransfer | null): File[] => [...(transfer?.files ?? [])]

/**
 * Adds files that are pasted into `field` or dropped anywhere on the surrounding stage. A paste with both text and a file (from a
 * word processor) inserts the text. Returns whether files are being dragged over the window.
 */
export function usePastedAndDropped(field: RefObject<HTMLTextAreaElement | null>): boolean {
  const [over, setOver] = useState(false)
  useEffect(() => {
    const area = field.current
    const stage = area?.closest<HTMLElement>('.chat-stage') ?? area
    if (!area || !stage) return
    const paste = (event: ClipboardEvent): void => {
      const files = filesIn(event.clipboardData)
      if (files.length === 0 || event.clipboardData?.getData('text/plain')) return
      event.preventDefault()
      addFiles(files)
    }
    const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false
    const drag = (event: DragEvent): void => {
      if (!carriesFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent): void => {
      if (!(event.relatedTarget instanceof Node) || !stage.contains(event.relatedTarget)) setOver(false)
    }
    const drop = (event: DragEvent): void => {
      setOver(false)
      if (!carriesFiles(event)) return
      event.preventDefault()
      addFiles(filesIn(event.dataTransfer))
      area.focus()
    }
    const ended = new AbortController()
    const { signal } = ended
    area.addEventListener('paste', paste, { signal })
    stage.addEventListener('dragover', drag, { signal })
    stage.addEventListener('dragleave', leave, { signal })
    stage.addEventListener('drop', drop, { signal })
    return () => ended.abort()
  }, [field])
  return over
}
