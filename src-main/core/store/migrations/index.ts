import { sql as first } from './001-first.ts'
import { sql as toolLimits } from './002-tool-limits.ts'
import { sql as chat } from './003-chat.ts'
import { sql as media } from './004-media.ts'
import { sql as conversationCosts } from './005-conversation-costs.ts'
import { sql as alerts } from './006-alerts.ts'
import { sql as profiles } from './007-profiles.ts'
import { sql as waiting } from './008-waiting.ts'
import { sql as modelNotes } from './009-model-notes.ts'
import { sql as rotatedKeys } from './010-rotated-keys.ts'
import { sql as deletedMessages } from './011-deleted-messages.ts'
import { sql as folderDefaults } from './012-folder-defaults.ts'
import { sql as modelMaps } from './013-model-maps.ts'
import { sql as namedConversations } from './014-named-conversations.ts'
import { sql as voiceSamples } from './015-voice-samples.ts'
import { sql as documents } from './016-documents.ts'
import { sql as syncMarks } from './017-sync-marks.ts'
import { sql as projects } from './018-projects.ts'
import { sql as context } from './019-context.ts'
import { sql as pinnedFileMarks } from './020-pinned-file-marks.ts'
import { sql as countedPrompts } from './021-counted-prompts.ts'
import { sql as mcpSignIn } from './022-mcp-sign-in.ts'
import { sql as queuedMessages } from './023-queued-messages.ts'
import { sql as adaptedRequests } from './024-adapted-requests.ts'
import { sql as connectedPrograms } from './025-connected-programs.ts'
import { sql as questions } from './026-questions.ts'
import { sql as appTools } from './027-app-tools.ts'

/** In order. A database's `user_version` is the number of migrations that it has had. Never change one that was released; append a new one. */
export const migrations: readonly string[] = [
  first,
  toolLimits,
  chat,
  media,
  conversationCosts,
  alerts,
  profiles,
  waiting,
  modelNotes,
  rotatedKeys,
  deletedMessages,
  folderDefaults,
  modelMaps,
  namedConversations,
  voiceSamples,
  documents,
  syncMarks,
  projects,
  context,
  pinnedFileMarks,
  countedPrompts,
  mcpSignIn,
  queuedMessages,
  adaptedRequests,
  connectedPrograms,
  questions,
  appTools,
]
