import type { LoggedBody } from '../../../../src-preload/contract/requests.ts'
import type { ArrivalTimes } from '../../ports/requests.ts'
import type { Database } from '../database.ts'
import { number, numberOrNull, parseJson, type Row, textOrNull } from '../rows.ts'

type Pairs = [name: string, value: string][]

/** The logged headers and bodies of one request. All texts were cleared of secrets before. */
export interface KeptBodies {
  id: number
  who: string
  at: number
  requestHeaders: Pairs | null
  replyHeaders: Pairs | null
  request: LoggedBody | null
  reply: LoggedBody | null
  /** The request that this one repeats. */
  againOf: number | null
  replyTimes: ArrivalTimes | null
}

export type BodySelection = { id: number } | { who: string } | { before: number } | 'all'

/** Logged bodies, in a file of their own. Deletion overwrites them, releases the space and empties the write-ahead log. */
export function bodyTable({ handle, transaction }: Database) {
  const insert = handle.prepare(
    `INSERT INTO bodies (id, who, at, size, request_bytes, request_capped, reply_bytes, reply_capped,
      request_headers, reply_headers, request_text, reply_text, again_of, reply_times) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const one = handle.prepare('SELECT * FROM bodies WHERE id = ?')
  const total = handle.prepare('SELECT coalesce(sum(size), 0) AS n FROM bodies INDEXED BY bodies_by_who')
  const old = handle.prepare(
    'SELECT count(*) AS items, coalesce(sum(size), 0) AS bytes FROM bodies INDEXED BY bodies_by_who WHERE at < ?',
  )
  const remove = handle.prepare('DELETE FROM bodies WHERE id = ? RETURNING size')
  const some = {
    id: handle.prepare('SELECT id FROM bodies WHERE id = ? LIMIT ?'),
    who: handle.prepare('SELECT id FROM bodies INDEXED BY bodies_by_who WHERE who = ? LIMIT ?'),
    before: handle.prepare('SELECT id FROM bodies INDEXED BY bodies_by_who WHERE at < ? LIMIT ?'),
    all: handle.prepare('SELECT id FROM bodies INDEXED BY bodies_by_who LIMIT ?'),
  }
  const dataVersion = handle.prepare('PRAGMA data_version')
  /** Changes with each commit of another process, such as the command line. */
  let knownVersion = dataVersion.get()?.data_version
  let bytes = read(total.get())

  return {
    /** Size of all stored texts, in bytes. */
    bytes(): number {
      const version = dataVersion.get()?.data_version
      if (version !== knownVersion) bytes = read(total.get())
      knownVersion = version
      return bytes
    },
    /** Number of requests from before a time (ms since 1970), and the size of their texts in bytes. */
    before(at: number): { items: number; bytes: number } {
      const row = old.get(at) ?? {}
      return { items: number(row, 'items'), bytes: number(row, 'bytes') }
    },
    save(kept: KeptBodies[]): void {
      bytes += transaction(() => kept.reduce((sum, one) => sum + store(one), 0))
    },
    get(id: number): Omit<KeptBodies, 'id' | 'who' | 'at'> | null {
      const row = one.get(id)
      return row
        ? {
            requestHeaders: pairs(textOrNull(row, 'request_headers')),
            replyHeaders: pairs(textOrNull(row, 'reply_headers')),
            request: body(row, 'request'),
            reply: body(row, 'reply'),
            againOf: numberOrNull(row, 'again_of'),
            replyTimes: times(textOrNull(row, 'reply_times')),
          }
        : null
    },
    /** Deletes at most `most` and returns the request ids. Fewer than `most` means that none are left. */
    eraseSome(selection: BodySelection, most: number): number[] {
      const { ids, size } = transaction(() => {
        const ids = pick(selection, most).map((row) => number(row, 'id'))
        const removed = ids.map((id) => remove.get(id))
        return { ids, size: removed.reduce((sum, row) => sum + (row ? number(row, 'size') : 0), 0) }
      })
      bytes -= size
      return ids
    },
    /** Releases at most `pages` free pages (4 KB each) to the disk. */
    shrink: (pages: number): void => handle.exec(`PRAGMA incremental_vacuum(${pages})`),
    /** After deletion: removes all free pages from the file, and all copies from the write-ahead log. */
    giveBack(): void {
      handle.exec('PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)')
    },
  }

  /** Returns by how many bytes the stored texts grew. A write that is tried again replaces the body that the first one stored. */
  function store(k: KeptBodies): number {
    const requestHeaders = k.requestHeaders && JSON.stringify(k.requestHeaders)
    const replyHeaders = k.replyHeaders && JSON.stringify(k.replyHeaders)
    const texts = [requestHeaders, replyHeaders, k.request?.text ?? null, k.reply?.text ?? null]
    const size = texts.reduce((sum, one) => sum + (one === null ? 0 : Buffer.byteLength(one)), 0)
    const replaced = remove.get(k.id)
    insert.run(
      ...[k.id, k.who, k.at, size, k.request?.bytes ?? null, k.request ? Number(k.request.capped) : null],
      ...[k.reply?.bytes ?? null, k.reply ? Number(k.reply.capped) : null, ...texts],
      ...[k.againOf, k.replyTimes && JSON.stringify(k.replyTimes)],
    )
    return size - (replaced ? number(replaced, 'size') : 0)
  }

  function pick(selection: BodySelection, most: number): Row[] {
    if (selection === 'all') return some.all.all(most)
    if ('id' in selection) return some.id.all(selection.id, most)
    return 'who' in selection ? some.who.all(selection.who, most) : some.before.all(selection.before, most)
  }
}

const read = (row: Row | undefined): number => (row ? number(row, 'n') : 0)

function body(row: Row, side: 'request' | 'reply'): LoggedBody | null {
  const bytes = numberOrNull(row, `${side}_bytes`)
  if (bytes === null) return null
  return { text: textOrNull(row, `${side}_text`), bytes, capped: numberOrNull(row, `${side}_capped`) === 1 }
}

function times(json: string | null): KeptBodies['replyTimes'] {
  const value = json === null ? null : parseJson(json)
  if (!Array.isArray(value)) return null
  return value.flatMap((one: unknown): [number, number][] =>
    Array.isArray(one) && typeof one[0] === 'number' && typeof one[1] === 'number' ? [[one[0], one[1]]] : [],
  )
}

function pairs(json: string | null): Pairs | null {
  const value = json === null ? null : parseJson(json)
  if (!Array.isArray(value)) return null
  return value.flatMap(
    (pair: unknown): Pairs =>
      Array.isArray(pair) && typeof pair[0] === 'string' && typeof pair[1] === 'string' ? [[pair[0], pair[1]]] : [],
  )
}
