import { parseRoute, type Route } from '../../stores/route.ts'
import { composerField } from '../composerField.ts'
import { navigate } from '../navigation.ts'
import { openHelp } from './store.ts'

/**
 * A link of a reply that leads to a place in this window. It sends and changes nothing: a prompt is filled into the composer, where the
 * person reads it first.
 */
export type OwnLink =
  | { to: 'help'; page: string; anchor: string }
  | { to: 'prompt'; text: string }
  | { to: 'page'; route: Route }

const maxPrompt = 500

/**
 * Reads `inference-studio://help/PAGE#SECTION`, `inference-studio://chat?prompt=TEXT` and `inference-studio://page/PAGE/ITEM`. Null for
 * every other address.
 */
export function readOwnLink(address: string): OwnLink | null {
  if (!URL.canParse(address)) return null
  const { protocol, host, pathname, hash, searchParams } = new URL(address)
  if (protocol !== 'inference-studio:') return null
  const prompt = searchParams.get('prompt')?.trim() ?? ''
  if (host === 'chat' && prompt !== '') return { to: 'prompt', text: prompt.slice(0, maxPrompt) }
  if (host === 'page') return { to: 'page', route: parseRoute(`#${pathname}`) }
  const [, page] = /^\/([\w-]{1,40})$/.exec(pathname) ?? []
  return host === 'help' && page !== undefined ? { to: 'help', page, anchor: hash.slice(1) } : null
}

/** Opens the place. `fill` puts a prompt into the composer. */
export function openOwnLink(link: OwnLink, fill: (text: string) => void): void {
  if (link.to === 'help') openHelp(link.page, link.anchor)
  else if (link.to === 'page') navigate(link.route)
  else {
    fill(link.text)
    composerField()?.focus()
  }
}
