import { posix } from 'node:path'
import { badInput, note } from '../../../shared/notes.ts'
import { type ConvertedDocument, TextCollector } from './converted.ts'
import { htmlToMarkdown } from './htmlText.ts'
import { attribute, insidePath, type OfficePackage } from './officePackage.ts'

/**
 * Converts an EPUB: the chapters in reading order, as Markdown.
 * @see https://www.w3.org/TR/epub-33/
 */
export async function convertEpub(pack: OfficePackage): Promise<ConvertedDocument> {
  const root = await rootFile(pack)
  const locked = await encryptedFiles(pack)
  const listed = await spine(pack, root)
  const chapters = new Set(listed)
  if (listed.some((name) => locked.has(name))) {
    throw badInput(note('unreadable.drm'))
  }
  const out = new TextCollector()
  // The specification allows each chapter once. A file that lists one many times would be read many times.
  if (chapters.size < listed.length) out.note(note('document.chapterTwice'))
  let number = 0
  for (const name of chapters) {
    if (!out.canTakeMore()) break
    const html = await pack.text(name)
    if (html === null) {
      out.note(note('document.chapterMissing'))
      continue
    }
    number += 1
    out.begin(`Chapter ${number}`)
    const { heading } = htmlToMarkdown(html, out, { isXml: true })
    out.end()
    const part = out.parts.at(-1)
    if (part && heading !== '') part.label = `Chapter ${number}: ${heading.slice(0, 100)}`
  }
  out.end()
  return { kind: 'epub', mime: 'application/epub+zip', unit: 'chapter', parts: out.parts, notes: out.notes() }
}

async function rootFile(pack: OfficePackage): Promise<string> {
  let path: string | null = null
  await pack.readXml('META-INF/container.xml', {
    open(element, attributes) {
      if (element === 'rootfile') path ??= attribute(attributes, 'full-path')
    },
    close: () => undefined,
  })
  if (path === null || !pack.has(path)) throw badInput(note('unreadable.contents'))
  return path
}

/** Fonts may be obfuscated in any EPUB. Encrypted chapters mean that it is protected. */
async function encryptedFiles(pack: OfficePackage): Promise<Set<string>> {
  const names = new Set<string>()
  await pack.readXml('META-INF/encryption.xml', {
    open(element, attributes) {
      if (element === 'CipherReference') names.add(inside('', attribute(attributes, 'URI') ?? ''))
    },
    close: () => undefined,
  })
  return names
}

async function spine(pack: OfficePackage, root: string): Promise<string[]> {
  const folder = posix.dirname(root)
  const items = new Map<string, string>()
  const order: string[] = []
  await pack.readXml(root, {
    open(element, attributes) {
      if (element === 'item') items.set(attribute(attributes, 'id') ?? '', attribute(attributes, 'href') ?? '')
      if (element === 'itemref') order.push(attribute(attributes, 'idref') ?? '')
    },
    close: () => undefined,
  })
  return order.flatMap((id) => {
    const href = items.get(id)
    return href === undefined ? [] : [inside(folder, href)]
  })
}

function inside(folder: string, href: string): string {
  try {
    return insidePath(folder, decodeURIComponent(href))
  } catch {
    // An invalid percent escape is part of the name.
    return insidePath(folder, href)
  }
}
