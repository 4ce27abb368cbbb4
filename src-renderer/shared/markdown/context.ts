import { createContext, useContext } from 'react'
import type { OwnLink } from '../help/ownLink.ts'

/** A code block as a message shows it. */
export interface BlockInChat {
  /** Info string of the fence. */
  language: string
  text: string
  /** Whether the block may still grow. */
  open: boolean
}

/** Actions that the page provides to a message. The message itself opens and copies nothing. */
export interface MarkdownHost {
  /** Receives an http, https or mailto address that a person clicked. */
  openLink: (address: string) => void
  /** Links that lead to a place in this window. Absent where they are not followed. */
  own?: {
    /** Null for every other address. */
    read: (address: string) => OwnLink | null
    open: (link: OwnLink) => void
  }
  /** Resolves to false when the clipboard refuses. */
  copy: (text: string) => Promise<boolean>
  /** Shows a block beside the message. Absent where there is no place for it. */
  preview?: {
    /** Kind of the block, or null when it can't be shown. `start` is the start of its text. */
    kindOf: (language: string, start: string) => string | null
    /** @param from the pressed button */
    open: (block: BlockInChat, from: HTMLElement) => void
  }
}

const inert: MarkdownHost = {
  openLink: () => undefined,
  copy: () => Promise.resolve(false),
}

export const MarkdownContext = createContext<MarkdownHost>(inert)
export const useMarkdownHost = (): MarkdownHost => useContext(MarkdownContext)

/** The sources that a reply can cite by number, such as `[1]`. */
export interface Citations {
  /** Name and place of a source; null when there is none of this number. */
  nameOf: (number: number) => string | null
  open: (number: number) => void
}

export const CitationsContext = createContext<Citations | null>(null)
