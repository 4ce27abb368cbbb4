import { create } from 'zustand'

/** The state of drawing pages of a document. Absent: the person has not agreed, or all pages were added. */
export type PageDrawing = { state: 'drawing'; done: number; all: number } | { state: 'failed'; page: number }

/** By key of the document in the draft. */
export const useDrawings = create<{ byKey: Readonly<Record<string, PageDrawing>> }>(() => ({ byKey: {} }))

const running = new Map<string, AbortController>()

export function setDrawing(key: string, drawing: PageDrawing | null): void {
  useDrawings.setState(({ byKey: { [key]: _, ...others } }) => ({
    byKey: drawing === null ? others : { ...others, [key]: drawing },
  }))
}

/** Starts drawing pages of a document. Null when its pages are already being drawn. */
export function beginDrawing(key: string): AbortSignal | null {
  if (running.has(key)) return null
  const ended = new AbortController()
  running.set(key, ended)
  return ended.signal
}

export const endDrawing = (key: string): void => void running.delete(key)

/** Stops drawing the pages of a document. */
export const stopDrawing = (key: string): void => running.get(key)?.abort()
