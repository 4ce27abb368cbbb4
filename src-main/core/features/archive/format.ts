import { createHash, type Hash } from 'node:crypto'
import * as z from 'zod'
import { folder, preset, prompt } from '../../../../src-preload/contract/library.ts'
import { id } from '../../../../src-preload/contract/problem.ts'
import { defaultWholeTokens } from '../../../../src-preload/contract/projects.ts'
import type { ArchivedConversation, ArchivedMessage } from '../../store/archive.ts'

/**
 * README.md describes both formats. A change that readers of the current version cannot read gets the next version
 * number.
 */
export const conversationFormat = 'inference-studio.conversation'
/** `format` in an archive's manifest, by which an import recognizes it. */
export const archiveFormat = 'inference-studio.archive'
/** Newest version of the format that this program reads, and the one that it writes. */
export const formatVersion = 1

/** Most pinned files of a project in one file: several computers may each have added as many as a project can have. */
export const maxArchivedFiles = 1000

/** Most projects, and most prompts and presets, in one file. */
export const maxArchivedItems = 10_000

export const sha256 = z.string().regex(/^[\da-f]{64}$/)

/** Content of `manifest.json`. */
export const manifest = z.object({
  format: z.literal(archiveFormat),
  version: z.literal(formatVersion),
  /** Time of the export. All other fields are equal for equal content. */
  createdAt: z.string().max(100),
  program: z.string().max(100),
  counts: z.object({
    conversations: z.number().int(),
    messages: z.number().int(),
    pictures: z.number().int(),
    folders: z.number().int(),
    prompts: z.number().int(),
    presets: z.number().int(),
  }),
  entries: z.array(z.object({ name: z.string().max(1000), bytes: z.number().int(), sha256 })).max(200_000),
})
export type ArchiveManifest = z.infer<typeof manifest>

/** A pinned file of a project. The document itself is in `media/ID` and `documents/ID.json`. */
const archivedFile = z.object({ mediaId: id, name: z.string().max(300), addedAt: z.string().max(100) })
export type ArchivedFile = z.infer<typeof archivedFile>

/** Content of `library.json`. */
export const libraryFile = z.object({
  folders: z
    .array(
      z.object({
        id,
        name: z.string().min(1).max(100),
        createdAt: z.string().max(100),
        // Absent in archives of earlier versions.
        model: folder.shape.model.default(null),
        instructions: folder.shape.instructions.default(null),
        params: folder.shape.params.default(null),
        wholeTokens: folder.shape.wholeTokens.default(defaultWholeTokens),
        files: z.array(archivedFile).max(maxArchivedFiles).default([]),
      }),
    )
    .max(maxArchivedItems),
  prompts: z.array(prompt).max(maxArchivedItems),
  presets: z.array(preset).max(maxArchivedItems),
})
export type LibraryFile = z.infer<typeof libraryFile>

/** An image or document inside the file of a single conversation. */
export const archivedPicture = z.object({ id, data: z.string().max(350 * 1024 * 1024) })

/**
 * Hash of the fields that distinguish a conversation from others. Excludes folder, position, draft and archive state.
 */
export function contentHash({ id, title, model, createdAt, setup }: ArchivedConversation): Hash {
  return createHash('sha256').update(JSON.stringify({ id, title, model, createdAt, setup }))
}

/** Adds a message to the hash. Excludes `nextId`, the last active branch. */
export function hashMessage(hash: Hash, { nextId: _, ...message }: ArchivedMessage): void {
  hash.update(`\n${JSON.stringify(message)}`)
}

/**
 * Ends a running or waiting message, because nothing in an imported file may start to run. Also applied to files from
 * other programs.
 */
export function settledMessage(message: ArchivedMessage): ArchivedMessage {
  const { run, status } = message
  const isOpen = run?.state === 'awaiting' || run?.state === 'by_hand' || run?.state === 'running'
  if (status !== 'pending' && status !== 'streaming' && !isOpen) return message
  const finishedAt = message.finishedAt ?? message.createdAt
  if (run) {
    const settled = isOpen ? { ...run, state: 'stopped' as const, finishedAt: run.finishedAt ?? finishedAt } : run
    return { ...message, status: 'stopped', finishedAt, run: settled }
  }
  const hasOutput = message.text + message.reasoning + message.refusal !== '' || message.toolCalls.length > 0
  return { ...message, status: hasOutput ? 'incomplete' : 'failed', finishedAt }
}
