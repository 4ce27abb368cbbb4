import '../noEval.ts'
import '../styles.css'
import { type Opening, opening } from '../../../src-preload/contract/data.ts'
import { showToken } from '../../api/session.ts'
import { showCount } from '../../i18n/format.ts'
import { i18n, startWords } from '../../i18n/index.ts'
import { showTheme } from '../theme.ts'

// The page in the studio's place while its data is made ready: it asks how far that is, and loads the studio once that is there.

/** ms between two questions. */
const everyMs = 500
/** Questions in a row that nobody answers, after which the program has ended. */
const patience = 4

const part = (id: string): HTMLElement => {
  const found = document.getElementById(id)
  if (!found) throw new Error(`The page has no #${id}.`)
  return found
}
/** Only what changed: a live region would say the same again. */
const put = (id: string, text: string): void => {
  const element = part(id)
  if (element.textContent !== text) element.textContent = text
}

function show(work: Opening | null): void {
  const rows = work?.rows ?? 0
  put('what', work ? i18n.t(`opening:${work.stage}.${work.database}`) : i18n.t('opening:starting'))
  put('rows', rows > 0 ? i18n.t('opening:rows', { count: rows, shown: showCount(rows) }) : '')
  put('about', i18n.t(`opening:about.${work?.stage ?? 'starting'}`))
  part('going').hidden = false
}

function showEnd(): void {
  put('what', i18n.t('opening:gone'))
  put('rows', '')
  put('about', i18n.t('opening:goneAbout'))
  part('going').hidden = true
}

/** What is being done; null where this page is not told, `over` once somebody else answers in its place. */
async function ask(): Promise<Opening | null | 'over'> {
  const reply = await fetch('/rpc', { cache: 'no-store' })
  if (reply.status !== 503) return 'over'
  const { data } = opening.safeParse(((await reply.json().catch(() => null)) as { opening?: unknown } | null)?.opening)
  return data ?? null
}

async function follow(): Promise<void> {
  for (let silent = 0; ; ) {
    const reported = await ask().catch(() => undefined)
    if (reported === 'over') return location.reload()
    silent = reported === undefined ? silent + 1 : 0
    if (reported !== undefined) show(reported)
    else if (silent >= patience) showEnd()
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

showTheme()
await startWords()
part('going').setAttribute('aria-label', i18n.t('opening:going'))
show(null)
// The desktop's page has no token, and needs none.
await showToken(window).catch(() => undefined)
await follow()
