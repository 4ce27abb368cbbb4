import { createContext, useContext } from 'react'

/** Words and deeds that the renderer gets from its room: it knows no language and opens nothing itself. */
export interface MarkdownHost {
  /** Asked with an http, https or mailto address that a person clicked. */
  openLink: (address: string) => void
  copy: (text: string) => Promise<boolean>
  words: {
    copyCode: string
    copied: string
    wrapCode: string
    code: string
    image: string
    imageNotLoaded: string
    linkRefused: (address: string) => string
    footnote: string
    done: string
    notDone: string
    tableScrolls: string
  }
}

const inert: MarkdownHost = {
  openLink: () => undefined,
  copy: () => Promise.resolve(false),
  words: {
    copyCode: 'Copy code',
    copied: 'Copied',
    wrapCode: 'Wrap lines',
    code: 'code',
    image: 'Image',
    imageNotLoaded: 'not loaded',
    linkRefused: (address) => `This address is not opened: ${address}`,
    footnote: 'Footnote',
    done: 'done',
    notDone: 'not done',
    tableScrolls: 'Table',
  },
}

export const MarkdownContext = createContext<MarkdownHost>(inert)
export const useMarkdownHost = (): MarkdownHost => useContext(MarkdownContext)
