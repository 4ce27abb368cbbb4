import type { OwnLink } from './ownLink.ts'

/** Loads each page when it is opened. */
const files = import.meta.glob<string>('../../../docs/guide/*.md', { query: '?raw', import: 'default' })

const fileOf = (page: string): string => `../../../docs/guide/${page}.md`

/** A section of a page with its heading. The first one is the beginning of the page, and its anchor is empty. */
export interface GuideSection {
  anchor: string
  text: string
}

/** The pages in the order of the guide's own list, with their titles. */
export async function guidePages(): Promise<{ page: string; title: string }[]> {
  const index = (await files[fileOf('README')]?.()) ?? ''
  return [...index.matchAll(/\[([^\]]+)\]\(([\w-]+)\.md\)/g)].map(([, title = '', page = '']) => ({ page, title }))
}

/** The sections of a page; null if the guide has no such page. */
export async function guideSections(page: string): Promise<GuideSection[] | null> {
  const text = await files[fileOf(page)]?.()
  return text === undefined ? null : sectionsOf(text)
}

/**
 * Splits a page before its headings. Pictures are left out, and links to files outside of the guide become plain text, because the window
 * does not have them.
 */
export function sectionsOf(markdown: string): GuideSection[] {
  const own = markdown.replace(/!\[[^\]]*\]\([^)\s]*\)\n*/g, '').replace(/\[([^\]]*)\]\(\.\.\/[^)\s]*\)/g, '$1')
  return own.split(/^(?=###? )/m).map((text) => ({ anchor: anchorOf(/^###? (.*)/.exec(text)?.[1] ?? ''), text }))
}

/** The id of a heading in GitHub's links. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- ]/gu, '')
    .replaceAll(' ', '-')

/** Reads a link inside of a page, such as `local-api.md#model-names`. Null for any other address. */
export function readGuideLink(from: string, address: string): OwnLink | null {
  const [, page, anchor = ''] = /^(?:([\w-]+)\.md)?(?:#([\w-]+))?$/.exec(address) ?? []
  return page === undefined && anchor === '' ? null : { to: 'help', page: page ?? from, anchor }
}
