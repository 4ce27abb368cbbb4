import type { SecretRule } from '../../../src-preload/contract/requests.ts'

/**
 * Patterns of keys and tokens, the special before the general. Each begins with few fixed characters, and every quantifier has an upper bound,
 * so that any text is searched in linear time. What is removed contains no quote, and a backslash only in a whole escape: JSON stays JSON.
 */
const rules: readonly (SecretRule & { pattern: string })[] = [
  rule('anthropic', 'Anthropic API key', 'sk-ant-…', String.raw`sk-ant-[\w-]{16,300}`),
  rule('openrouter', 'OpenRouter API key', 'sk-or-v1-…', 'sk-or-v1-[0-9a-f]{32,128}'),
  rule(
    'openai',
    'OpenAI API key, and keys of the same form',
    'sk-…',
    String.raw`sk-(?=[A-Za-z_-]{0,60}[0-9])[\w-]{20,300}`,
  ),
  rule('google', 'Google API key', 'AIza…', String.raw`AIza[\w-]{35}`),
  rule(
    'google-oauth',
    'Google OAuth token or client secret',
    'ya29.…, GOCSPX-…',
    String.raw`(?:ya29\.|GOCSPX-)[\w-]{20,1000}`,
  ),
  rule('github', 'GitHub token', 'ghp_…, github_pat_…', String.raw`(?:gh[oprsu]_|github_pat_)\w{30,255}`),
  rule('gitlab', 'GitLab token', 'glpat-…', String.raw`gl(?:pat|dt|rt|soat|ptt)-[\w.-]{20,255}`),
  rule('aws', 'AWS access key ID', 'AKIA…, ASIA…', 'A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}(?![A-Z0-9])'),
  rule(
    'aws-secret',
    'AWS secret access key, after its name',
    'aws_secret_access_key = …',
    // The quote of a string in JSON or in a file, escaped up to three times.
    String.raw`(?<kept>(?:aws_secret_access_key|AWS_SECRET_ACCESS_KEY|SecretAccessKey)(?:\\{0,7}")?\s{0,8}[:=]\s{0,8}(?:\\{0,7}["'])?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])`,
  ),
  rule('azure', 'Azure storage account key', 'AccountKey=…', 'AccountKey=[A-Za-z0-9/+]{64,128}={0,2}'),
  rule('slack', 'Slack token', 'xoxb-…, xapp-…', String.raw`(?:xox[abceoprs]|xapp)-[\w-]{10,300}`),
  rule(
    'slack-hook',
    'Slack webhook',
    'hooks.slack.com/services/…',
    String.raw`hooks\.slack\.com/services/[\w/]{20,200}`,
  ),
  rule('stripe', 'Stripe key', 'sk_live_…, rk_live_…, whsec_…', String.raw`(?:[rs]k_(?:live|test)_|whsec_)\w{16,255}`),
  rule('huggingface', 'Hugging Face token', 'hf_…', 'hf_[A-Za-z0-9]{30,100}'),
  rule('groq', 'Groq API key', 'gsk_…', String.raw`gsk_\w{30,200}`),
  rule('xai', 'xAI API key', 'xai-…', String.raw`xai-[\w-]{60,200}`),
  rule('perplexity', 'Perplexity API key', 'pplx-…', String.raw`pplx-\w{30,200}`),
  rule('replicate', 'Replicate token', 'r8_…', 'r8_[A-Za-z0-9]{30,100}'),
  rule('npm', 'npm token', 'npm_…', 'npm_[A-Za-z0-9]{36,100}'),
  rule('pypi', 'PyPI token', 'pypi-…', String.raw`pypi-[\w-]{50,500}`),
  rule('sendgrid', 'SendGrid API key', 'SG.…', String.raw`SG\.[\w-]{16,32}\.[\w-]{32,64}`),
  rule('digitalocean', 'DigitalOcean token', 'dop_v1_…', 'do[opr]_v1_[0-9a-f]{64}'),
  rule('telegram', 'Telegram bot token', '123456789:AA…', String.raw`[0-9]{8,10}:AA[\w-]{33}`),
  rule('jwt', 'JSON Web Token', 'eyJ….eyJ…', String.raw`eyJ[\w-]{10,4000}\.eyJ[\w-]{10,8000}\.[\w-]{16,2000}`),
]

/** Its beginning needs no other character before it: the end of another key may stand there. */
const privateKey = rule(
  'private-key',
  'Private key in PEM form',
  '-----BEGIN … PRIVATE KEY-----',
  // Base64, headers and line ends, also escaped. A key whose end is missing is removed as far as it goes.
  String.raw`-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s:,.]|\\{1,7}[nrt]|-(?!--)){0,20000}(?:-----END (?:[A-Z]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?`,
)

function rule(id: string, name: string, example: string, pattern: string): SecretRule & { pattern: string } {
  return { id, name, example, pattern }
}

/** Before a key: the start, a character that is no part of a key, or the escape of a line end or another character. */
const before = String.raw`(?<=^|[^\w-]|\\[nrtbf]|\\u[0-9a-fA-F]{4})`
/** Id of the rule for the beginnings that a person has added. */
const ownId = 'own'
/** After the beginning of a person's own key. */
const ownRest = String.raw`[\w.~+/=-]{6,500}`

/** A secret in a text: where it is, in UTF-16 units, and the rule that found it. */
interface Found {
  from: number
  to: number
  id: string
}

/** The rules of keys and tokens, as the window lists them. */
export const secretRules: readonly SecretRule[] = [...rules, privateKey].map(({ id, name, example }) => ({
  id,
  name,
  example,
}))

/**
 * Replaces keys and tokens by marks such as `[secret: github]`.
 * @param beginnings of the person's own keys, as `secretBeginning` of the contract allows them
 */
export class SecretMask {
  readonly #pattern: RegExp
  readonly #ids: readonly string[]

  constructor(beginnings: readonly string[] = []) {
    const own = beginnings.map((beginning) => ({ id: ownId, pattern: beginning.replace(/[.+]/g, '\\$&') + ownRest }))
    const keys = [...own, ...rules]
    this.#ids = [...keys.map(({ id }) => id), privateKey.id]
    const groups = keys.map(({ pattern }, at) => `(?<r${at}>${pattern})`)
    this.#pattern = new RegExp(`${before}(?:${groups.join('|')})|(?<r${keys.length}>${privateKey.pattern})`, 'g')
  }

  find(text: string): Found[] {
    return Array.from(text.matchAll(this.#pattern), ({ 0: whole, index, groups = {} }) => {
      const at = this.#ids.findIndex((_, number) => groups[`r${number}`] !== undefined)
      return { from: index + (groups.kept?.length ?? 0), to: index + whole.length, id: this.#ids[at] ?? ownId }
    })
  }

  text(text: string): string {
    return marked(text, 0, this.find(text))
  }

  /**
   * Masks a logged body, also keys that the events of a chat's stream carry in pieces.
   * @param isCapped whether the body continues after `text`. Then the end, which may be the beginning of a key, is left out
   */
  body(text: string, isCapped: boolean): string {
    return this.#events(this.text(isCapped ? withoutLastWord(text) : text))
  }

  #events(text: string): string {
    if (!/^(?:data|event|id|retry|):/.test(text)) return text
    const lines = text.split('\n').map(dataLine)
    const streams = new Map<string, Piece[]>()
    for (const line of lines) {
      for (const { path, ...piece } of line.data === null ? [] : piecesOf(line)) {
        const pieces = streams.get(path)
        if (pieces) pieces.push(piece)
        else streams.set(path, [piece])
      }
    }
    for (const pieces of streams.values()) {
      const found = this.find(pieces.map(({ text }) => text).join(''))
      if (found.length > 0) markPieces(pieces, found)
    }
    return lines.map(({ text, data, isChanged }) => (isChanged ? `data: ${JSON.stringify(data)}` : text)).join('\n')
  }
}

/** What is found in a text, by rule, and the text with its marks. */
export function testSecrets(mask: SecretMask, text: string): { text: string; found: { id: string; count: number }[] } {
  const counts = new Map<string, number>()
  for (const { id } of mask.find(text)) counts.set(id, (counts.get(id) ?? 0) + 1)
  return { text: mask.text(text), found: Array.from(counts, ([id, count]) => ({ id, count })) }
}

/** Without the characters of keys at the end, at most 500. */
function withoutLastWord(text: string): string {
  let end = text.length
  while (end > Math.max(0, text.length - 500) && /[\w.~+/=-]/.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

/** Replaces what was found. @param from where `text` begins in the text that was searched. A secret that began earlier has its mark there */
function marked(text: string, from: number, found: readonly Found[]): string {
  let result = ''
  let at = from
  const end = from + text.length
  for (const { from: start, to, id } of found) {
    if (to <= at) continue
    if (start >= end) break
    if (start >= at) result += `${text.slice(at - from, start - from)}[secret: ${id}]`
    at = Math.min(to, end)
  }
  return result + text.slice(at - from)
}

/** A line of an event stream. `data` is the object of a data line, else null. */
interface Line {
  text: string
  data: Record<string, unknown> | null
  isChanged: boolean
}

/** One piece of a text that a stream sends in pieces. */
interface Piece {
  text: string
  set(text: string): void
}

function dataLine(text: string): Line {
  const data = text.startsWith('data:') ? parsedObject(text.slice(5)) : null
  return { text, data, isChanged: false }
}

function parsedObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    // Such as `[DONE]`, or the last line of a capped body.
    return null
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const recordsIn = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : [])

const numberOf = (index: unknown, at: number): string => `${typeof index === 'number' ? index : at}`

/** The texts of a chunk, each with the path of its stream: its choice, its tool call and its name. A text completion has no deltas. */
function piecesOf(line: Line): (Piece & { path: string })[] {
  const textsIn = (record: Record<string, unknown>, path: string) =>
    Object.entries(record).flatMap(([name, text]) => {
      if (typeof text !== 'string') return []
      const set = (masked: string): void => {
        record[name] = masked
        line.isChanged = true
      }
      return [{ path: `${path} ${name}`, text, set }]
    })
  return recordsIn(line.data?.choices).flatMap((choice, at) => {
    const { index, delta } = choice
    const path = numberOf(index, at)
    if (!isRecord(delta)) return textsIn(choice, path)
    const calls = recordsIn(delta.tool_calls).flatMap((call, number) =>
      isRecord(call.function) ? textsIn(call.function, `${path} ${numberOf(call.index, number)}`) : [],
    )
    return [...textsIn(delta, path), ...calls]
  })
}

/** Marks secrets in a text that is in pieces. The mark is in the piece where the secret begins. */
function markPieces(pieces: readonly Piece[], found: readonly Found[]): void {
  let from = 0
  let next = 0
  for (const { text, set } of pieces) {
    while ((found[next]?.to ?? Number.POSITIVE_INFINITY) <= from) next += 1
    const here = found.slice(next, next + text.length)
    const masked = marked(text, from, here)
    if (masked !== text) set(masked)
    from += text.length
  }
}
