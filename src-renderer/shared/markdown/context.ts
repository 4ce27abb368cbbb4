import { createContext, useContext } from 'react'

/** Deeds that a message gets from its room: it opens and copies nothing itself. */
export interface MarkdownHost {
  /** Asked with an http, https or mailto address that a person clicked. */
  openLink: (address: string) => void
  /** False when the clipboard refuses. */
  copy: (text: string) => Promise<boolean>
}

const inert: MarkdownHost = {
  openLink: () => undefined,
  copy: () => Promise.resolve(false),
}

export const MarkdownContext = createContext<MarkdownHost>(inert)
export const useMarkdownHost = (): MarkdownHost => useContext(MarkdownContext)
