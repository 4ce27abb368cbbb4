import * as z from 'zod'
import { type ProgramId, programId } from '../../../src-preload/contract/programs.ts'
import type { Database } from './database.ts'
import { json, number, type Row, readOrNull, text } from './rows.ts'
import { prepareAll } from './statements.ts'

const entry = z.object({
  path: z.array(z.union([z.string(), z.object({ where: z.record(z.string(), z.string()) })])).readonly(),
  isOwn: z.boolean(),
  hash: z.string(),
  existing: z.number().int(),
})

/** A configuration file of a program that has entries of ours. */
export interface StoredProgram {
  id: string
  program: ProgramId
  /** Absolute path. Unique. */
  file: string
  /** Which of the program's files this is, from 0. */
  part: number
  appId: string
  model: string
  /** Address that was written, ending in `/v1`. */
  baseUrl: string
  entries: z.infer<typeof entry>[]
  /** SHA-256 of the whole file after it was written. */
  writtenHash: string
  connectedAt: string
}

export function connectedProgramTable({ handle }: Database) {
  const sql = prepareAll(handle, {
    all: 'SELECT * FROM connected_programs ORDER BY connected_at, rowid',
    one: 'SELECT * FROM connected_programs WHERE id = ?',
    ofFile: 'SELECT * FROM connected_programs WHERE file = ?',
    ofApp: 'SELECT DISTINCT program FROM connected_programs WHERE app_id = ?',
    remove: 'DELETE FROM connected_programs WHERE id = ?',
    save: `INSERT INTO connected_programs (id, program, file, part, app_id, model, base_url, entries, written_hash, connected_at)
      VALUES (:id, :program, :file, :part, :appId, :model, :baseUrl, :entries, :writtenHash, :connectedAt)
      ON CONFLICT (id) DO UPDATE SET program = :program, file = :file, part = :part, app_id = :appId, model = :model, base_url = :baseUrl,
        entries = :entries, written_hash = :writtenHash`,
  })
  return {
    /** In the order in which they were connected. */
    all: (): StoredProgram[] => sql.all.all().map(read),
    find: (id: string): StoredProgram | null => readOrNull(sql.one.get(id), read),
    ofFile: (file: string): StoredProgram | null => readOrNull(sql.ofFile.get(file), read),
    /** The programs that use the key of this app. */
    ofApp: (appId: string): ProgramId[] => sql.ofApp.all(appId).map((row) => programId.parse(text(row, 'program'))),
    save: ({ entries, ...row }: StoredProgram): void => void sql.save.run({ ...row, entries: JSON.stringify(entries) }),
    remove: (id: string): void => void sql.remove.run(id),
  }
}

function read(row: Row): StoredProgram {
  return {
    id: text(row, 'id'),
    program: programId.parse(text(row, 'program')),
    file: text(row, 'file'),
    part: number(row, 'part'),
    appId: text(row, 'app_id'),
    model: text(row, 'model'),
    baseUrl: text(row, 'base_url'),
    entries: json(row, 'entries', z.array(entry)),
    writtenHash: text(row, 'written_hash'),
    connectedAt: text(row, 'connected_at'),
  }
}
