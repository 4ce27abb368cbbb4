import { join } from 'node:path'
import { alertTable } from './alerts.ts'
import { appQuestionTable } from './appQuestions.ts'
import { appTable } from './apps.ts'
import { archiveTable } from './archive.ts'
import { connectedProgramTable } from './connectedPrograms.ts'
import { conversationCostTable } from './conversationCosts.ts'
import { conversationTable } from './conversations.ts'
import { countedPromptTable } from './countedPrompts.ts'
import { type Database, inReadTransaction, type OpenOptions, openDatabase, studioDatabase } from './database.ts'
import { documentTable } from './documents.ts'
import { erasureTable } from './erasures.ts'
import { folderTable } from './folders.ts'
import { functionToolTable } from './functionTools.ts'
import { imageTable } from './images.ts'
import { mcpServerTable } from './mcpServers.ts'
import { mediaTable } from './media.ts'
import { messageTable } from './messages.ts'
import { modelListTable } from './modelLists.ts'
import { modelNoteTable } from './modelNotes.ts'
import { outboxTable } from './outbox.ts'
import { passageTable } from './passages.ts'
import { PendingWrites } from './pendingWrites.ts'
import { pinnedFileTable } from './pinnedFiles.ts'
import { presetTable } from './presets.ts'
import { profileTable } from './profiles.ts'
import { promptTable } from './prompts.ts'
import { queuedMessageTable } from './queuedMessages.ts'
import { recordingTable } from './recordings.ts'
import { replyJournalTable } from './replyJournal.ts'
import { searchTable } from './search.ts'
import { settingsTable } from './settings.ts'
import { speechTable } from './speeches.ts'
import { summaryTable } from './summaries.ts'
import { syncMarkTable } from './syncMarks.ts'
import { toolPermissionTable } from './toolPermissions.ts'
import { transcriptTable } from './transcripts.ts'
import { voiceSampleTable } from './voiceSamples.ts'

export const databaseFile = (dataDir: string): string => join(dataDir, 'studio.sqlite')

/** Opens the studio database. Each table family is a property. @throws as openDatabase does */
export function openStore(dataDir: string, options: OpenOptions = {}) {
  const opened = openDatabase(databaseFile(dataDir), studioDatabase, options)
  const pending = new PendingWrites(() => opened.handle.isTransaction)
  const database = pending.before(opened)
  return {
    ...prepared(database),
    transaction: database.transaction,
    journal: database.journal,
    dataVersion: database.dataVersion,
    commits: database.commits,
    isWritable: database.isWritable,
    /** Background writes. */
    pending,
    close: database.close,
  }
}
export type Store = ReturnType<typeof openStore>

function prepared(database: Database) {
  try {
    return inReadTransaction(database.handle, () => tables(database))
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

const tables = (database: Database) => ({
  conversations: conversationTable(database),
  conversationCosts: conversationCostTable(database),
  messages: messageTable(database),
  replyJournal: replyJournalTable(database),
  media: mediaTable(database),
  documents: documentTable(database),
  images: imageTable(database),
  recordings: recordingTable(database),
  transcripts: transcriptTable(database),
  profiles: profileTable(database),
  settings: settingsTable(database),
  modelLists: modelListTable(database),
  modelNotes: modelNoteTable(database),
  appKeys: appTable(database),
  appQuestions: appQuestionTable(database),
  folders: folderTable(database),
  pinnedFiles: pinnedFileTable(database),
  passages: passageTable(database),
  prompts: promptTable(database),
  presets: presetTable(database),
  erasures: erasureTable(database),
  archive: archiveTable(database),
  search: searchTable(database),
  functionTools: functionToolTable(database),
  mcpServers: mcpServerTable(database),
  connectedPrograms: connectedProgramTable(database),
  toolPermissions: toolPermissionTable(database),
  alerts: alertTable(database),
  speeches: speechTable(database),
  outbox: outboxTable(database),
  voiceSamples: voiceSampleTable(database),
  syncMarks: syncMarkTable(database),
  countedPrompts: countedPromptTable(database),
  summaries: summaryTable(database),
  queuedMessages: queuedMessageTable(database),
})
