import { useChat } from '../../../stores/chat.ts'
import { writeDraft } from '../drafts.ts'
import { addPictures, draftKey } from './draftPictures.ts'

/** Largest text file that goes into the message field, bytes. Longer texts exceed the context of most models. */
export const largestText = 400_000

/**
 * Adds files to a draft, whichever way they came: pasted, dropped, or opened with the application. A text goes into the message field
 * under its name, everything else into the pictures, which say what is not a picture. Nothing is sent.
 */
export async function addFiles(files: readonly File[], draft = draftKey()): Promise<void> {
  const pictures: File[] = []
  const texts: string[] = []
  for (const file of files) {
    const text = await textOf(file)
    if (text === null) pictures.push(file)
    else texts.push(quoted(file.name, text))
  }
  if (pictures.length > 0) addPictures(pictures, draft)
  if (texts.length === 0) return
  const { drafts, open } = useChat.getState()
  const typed = drafts[draft] ?? (open?.id === draft ? (open.conversation?.draft ?? '') : '')
  writeDraft(draft, [typed.trimEnd(), ...texts].filter((part) => part !== '').join('\n\n'))
}

/** The text of a file, or null when it is a picture, too long, or not UTF-8. */
async function textOf(file: File): Promise<string | null> {
  if (file.type.startsWith('image/') || file.size > largestText) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
    return /(?![\t\n\v\f\r])\p{Cc}/u.test(text) ? null : text.replace(/\r\n?/g, '\n')
  } catch {
    return null // binary, or another encoding
  }
}

/** A text under its file name, in a fence that is longer than any fence in the text. */
function quoted(name: string, text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  const language = /\.([a-z\d]{1,10})$/i.exec(name)?.[1] ?? ''
  return `${name}\n${fence}${language}\n${text.replace(/\n?$/, '\n')}${fence}`
}
