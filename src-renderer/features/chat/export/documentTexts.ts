import type { Client } from '../../../api/connect.ts'
import { problemOf } from '../../../api/problem.ts'
import type { ExportedMessage } from './conversation.ts'

type AttachedFile = ExportedMessage['documents'][number]

/** Identifies the chosen pages of a file. */
export const documentKey = ({ mediaId, pages }: Pick<AttachedFile, 'mediaId' | 'pages'>): string =>
  `${mediaId} ${pages ?? ''}`

/**
 * Reads the texts of all files that are attached to the messages, as the model got them. Files that no longer exist are missing in the
 * result. @throws ORPCError `PROBLEM`, TypeError when the connection is lost, the signal's reason
 */
export async function loadDocumentTexts(
  client: Client,
  messages: readonly ExportedMessage[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const document of messages.flatMap(({ documents }) => documents)) {
    const { mediaId, name, pages } = document
    if (texts.has(documentKey(document))) continue
    try {
      const { text, isTooLong } = await client.documents.text({ mediaId, name, pages }, { signal })
      if (!isTooLong) texts.set(documentKey(document), withoutTags(text))
    } catch (thrown) {
      signal.throwIfAborted()
      if (problemOf(thrown).kind !== 'no_such_item') throw thrown
    }
  }
  return texts
}

/** The first and the last line of the text for a model are a start and an end tag, whose names the file decides. */
const withoutTags = (text: string): string => text.slice(text.indexOf('\n') + 1, text.lastIndexOf('\n'))
