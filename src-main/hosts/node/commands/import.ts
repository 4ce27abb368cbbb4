import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createRouterClient } from '@orpc/server'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { partBytes, partType, transferPath } from '../../../../src-preload/contract/transfers.ts'
import { StudioError } from '../../../core/errors.ts'
import type { Parts, RunningCore } from '../dependencies.ts'
import { failureOf } from '../failure.ts'
import { openDataDir } from '../folder.ts'
import { createNodeHost } from '../host.ts'
import { exitCodes, log, printJson, say } from '../output.ts'
import { fileToRead } from '../userFile.ts'

interface ImportOptions {
  dataDir?: string
  json: boolean
}

/**
 * `import`: imports chats from a file of this program or of ChatGPT. Sends nothing to the service. Exits with a failure when something was left
 * out; the rest is imported.
 */
export async function importChats(given: string, options: ImportOptions, parts: Parts): Promise<number> {
  const path = await fileToRead(given, '<file>')
  // Before the program starts: a file that can't be read needs no program, and leaves none running.
  const file = await open(path, 'r')
  try {
    return await importFile(file, basename(path), options, parts)
  } finally {
    await file.close()
  }
}

async function importFile(file: FileHandle, name: string, options: ImportOptions, parts: Parts): Promise<number> {
  const dataDir = await openDataDir(options.dataDir)
  const core = await parts.startCore(createNodeHost(dataDir), { proxyPort: null }).catch((thrown: unknown) => {
    const failure = failureOf(thrown)
    if (failure.kind !== 'folder_in_use') throw thrown
    const words = `${failure.message} While it runs, import in its window.`
    throw new StudioError('folder_in_use', words, {}, { cause: thrown })
  })
  try {
    const uploadId = await upload(core, file, name)
    const report = await createRouterClient(core.router).archive.import({ uploadId })
    const { conversations, messages, pictures, known, notes, leftOut, leftOutMore } = report
    if (options.json) printJson(report)
    else {
      say(`Imported ${conversations} chats, ${messages} messages, ${pictures} images.`)
      if (known > 0) say(`${known} chats already existed and were skipped.`)
    }
    for (const note of notes) log('warn', note)
    for (const { title, reason } of leftOut) log('error', `“${title}” was left out: ${reason}`)
    if (leftOutMore > 0) log('error', `${leftOutMore} more items were left out.`)
    return leftOut.length === 0 ? exitCodes.ok : exitCodes.failed
  } finally {
    await core.stop()
  }
}

/** Uploads a file in parts, as a window does. Returns the id of the upload. */
async function upload(core: RunningCore, file: FileHandle, name: string): Promise<string> {
  const { size } = await file.stat()
  const { uploadId } = await createRouterClient(core.router).transfers.beginUpload({
    name: name.slice(0, 300),
    bytes: size,
  })
  for (let at = 0; at < size; at += partBytes) {
    const part = Buffer.alloc(Math.min(partBytes, size - at))
    const { bytesRead } = await file.read(part, 0, part.length, at)
    if (bytesRead < part.length) throw new StudioError('bad_input', 'The file became shorter during the import.')
    const reply = await core.bytes({
      method: 'PUT',
      path: transferPath(uploadId),
      query: new URLSearchParams({ at: String(at) }),
      contentType: partType,
      contentLength: part.length,
      body: Readable.from([part]),
    })
    const answer = reply.body && (await buffer(reply.body)).toString()
    if (reply.status !== 200) {
      const { kind, message }: Problem = JSON.parse(answer ?? '{}')
      throw new StudioError(kind, message)
    }
  }
  return uploadId
}
