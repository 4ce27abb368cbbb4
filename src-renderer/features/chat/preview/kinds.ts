import { labelOf } from '../../../shared/markdown/code/languages.ts'
import type { PreviewKind } from '../../../stores/preview.ts'

const byLabel = new Map<string, PreviewKind>([
  ...['html', 'htm', 'xhtml'].map((label) => [label, 'html'] as const),
  ['svg', 'svg'],
  ...['markdown', 'md'].map((label) => [label, 'markdown'] as const),
  ...['mermaid', 'mmd'].map((label) => [label, 'mermaid'] as const),
  ...['csv', 'tsv'].map((label) => [label, 'csv'] as const),
  ['json', 'json'],
])

/** How a block is previewed, by the info string of its fence and the start of its text. Null: not at all. */
export function kindOf(info: string, start: string): PreviewKind | null {
  const label = labelOf(info).toLowerCase()
  if (label === 'xml') return /^\s*(?:<\?xml[^>]{0,200}>\s*)?<svg[\s>]/.test(start.slice(0, 1_000)) ? 'svg' : null
  return byLabel.get(label) ?? null
}

interface FileKind {
  /** Name of a file without a title. */
  name: string
  ending: string
  mime: string
  /** For highlighting. */
  language: string
}

export const fileKinds: Record<PreviewKind, FileKind> = {
  html: { name: 'page', ending: 'html', mime: 'text/html', language: 'html' },
  svg: { name: 'drawing', ending: 'svg', mime: 'image/svg+xml', language: 'xml' },
  markdown: { name: 'document', ending: 'md', mime: 'text/markdown', language: 'markdown' },
  mermaid: { name: 'diagram', ending: 'mmd', mime: 'text/vnd.mermaid', language: 'mermaid' },
  csv: { name: 'table', ending: 'csv', mime: 'text/csv', language: 'csv' },
  json: { name: 'data', ending: 'json', mime: 'application/json', language: 'json' },
}

/** Characters in which a title is searched. */
const titleWithin = 20_000
const titleChars = 80

const titlePatterns: Partial<Record<PreviewKind, readonly RegExp[]>> = {
  html: [/<title[^<>]*>([^<]{1,300})/i, /<h1[^<>]*>([^<]{1,300})/i],
  svg: [/<title[^<>]*>([^<]{1,300})/i],
  markdown: [/^ {0,3}#{1,6}[ \t]+(.{1,300})/m],
  mermaid: [/^\s*title:?[ \t]+(.{1,300})/m],
}

/** The title that a block gives itself: HTML `<title>` or first `<h1>`, the first heading of Markdown. Empty without one. */
export function titleOf(kind: PreviewKind, text: string): string {
  const start = text.slice(0, titleWithin)
  for (const pattern of titlePatterns[kind] ?? []) {
    const found = pattern.exec(start)?.[1]?.replace(/\s+/g, ' ').trim()
    if (found) return found.slice(0, titleChars)
  }
  return ''
}

/** A file name for a block, such as `harbour-walks.html`. Letters and digits of any script stay. */
export function fileNameOf(kind: PreviewKind, title: string): string {
  const name = title
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
  return `${name || fileKinds[kind].name}.${fileKinds[kind].ending}`
}
