import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { backupSummary, type DataState, damage, type SetAside } from '../../../../src-preload/contract/data.ts'
import { StudioError } from '../../errors.ts'
import { parseJson } from '../../store/rows.ts'
import { databases } from '../databases.ts'
import { bytesOnDisk, namesIn, stampForm, writeJson } from '../disk.ts'

const restored = z.object({ at: z.string(), summary: backupSummary, acknowledged: z.boolean() })
const kinds = ['damaged', 'replaced'] as const

/**
 * The folders that were set aside (`damaged/`, `replaced/`). Each is named by its time and contains a report, so that reports survive the
 * loss of any database.
 */
export function createReports(dataDir: string) {
  /** A cache, because adding up a folder of many files is slow. */
  const sizes = new Map<string, number>()
  const fileOf = (id: string): string | null => {
    const [, kind, stamp, name] = /^(damaged|replaced)\/([^/]+)\/([a-z]+)$/.exec(id) ?? []
    return kind && stamp && name && stampForm.test(stamp) ? join(dataDir, kind, stamp, `${name}.json`) : null
  }
  const foldersOf = (kind: 'damaged' | 'replaced'): string[] =>
    namesIn(join(dataDir, kind))
      .filter((name) => stampForm.test(name))
      .sort()
      .reverse()

  const read = <T>(schema: z.ZodType<T>, id: string): T | null => {
    const path = fileOf(id)
    return path === null ? null : (schema.safeParse(parseJson(readText(path))).data ?? null)
  }

  return {
    damage: (): DataState['damage'] =>
      foldersOf('damaged').flatMap((stamp) =>
        databases.flatMap(({ name }) => {
          const id = `damaged/${stamp}/${name}`
          const found = read(damage, id)
          return found ? [{ ...found, id, keptAt: join(dataDir, 'damaged', stamp) }] : []
        }),
      ),
    /** The last report that was not acknowledged, or else the last of all. Folder names follow the clock, which may have been set back since. */
    restored(): DataState['restored'] {
      const all = foldersOf('replaced').flatMap((stamp) => {
        const id = `replaced/${stamp}/restored`
        const found = read(restored, id)
        return found ? [{ ...found, id, keptAt: formerIn(join(dataDir, 'replaced', stamp)) }] : []
      })
      return all.find(({ acknowledged }) => !acknowledged) ?? all[0] ?? null
    },
    aside: (): SetAside[] =>
      kinds
        .flatMap((kind) => foldersOf(kind).map((stamp) => asideOf(kind, stamp)))
        .sort((a, b) => b.at.localeCompare(a.at)),
    /** Marks a report as read. @throws StudioError `no_such_item` */
    acknowledge(id: string): void {
      const path = fileOf(id)
      const document = path === null ? undefined : parseJson(readText(path))
      if (path === null || typeof document !== 'object' || document === null) throw gone()
      writeJson(path, { ...document, acknowledged: true })
    },
    /** Deletes a folder permanently, with its report. @throws StudioError `no_such_item` */
    erase(name: string): void {
      const [kind, stamp = '', ...rest] = name.split('/')
      if (!kinds.some((one) => one === kind) || !stampForm.test(stamp) || rest.length > 0) throw gone()
      if (!namesIn(join(dataDir, String(kind))).includes(stamp)) throw gone()
      rmSync(join(dataDir, name), { recursive: true, force: true })
      sizes.delete(name)
    },
  }

  function asideOf(kind: SetAside['kind'], stamp: string): SetAside {
    const name = `${kind}/${stamp}`
    const path = join(dataDir, name)
    const bytes = sizes.get(name) ?? bytesOnDisk(path)
    sizes.set(name, bytes)
    const at = `${stamp.slice(0, 10)}T${stamp.slice(11, 19).replaceAll('-', ':')}.000Z`
    return { name, kind, at, path, bytes }
  }
}

/** The folder, or null when it contains only its report: a restore into an empty folder replaced nothing. */
export const formerIn = (folder: string): string | null =>
  namesIn(folder).some((name) => name !== 'restored.json') ? folder : null

const gone = (): StudioError => new StudioError('no_such_item', 'This no longer exists.')

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
