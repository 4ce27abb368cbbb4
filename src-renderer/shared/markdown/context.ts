import { createContext, useContext } from 'react'

/** Actions that the page provides to a message. The message itself opens and copies nothing. */
export interface MarkdownHost {
  /** Receives an http, https or mailto address that a person clicked. */
  openLink: (address: string) => void
  /** Resolves to false when the clipboard refuses. */
  copy: (text: string) => Promise<boolean>
}

const inert: MarkdownHost = {
  openLink: () => undefined,
  copy: () => Promise.resolve(false),
}

export const MarkdownContext = createContext<MarkdownHost>(inert)
export const useMarkdownHost = (): MarkdownHost => useContext(MarkdownContext)
