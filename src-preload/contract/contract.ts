import { keysProcedures, limitsProcedures } from './account.ts'
import { alertsProcedures } from './alerts.ts'
import { app } from './app.ts'
import { appsProcedures } from './apps.ts'
import { chatProcedures } from './chat.ts'
import { connectionProcedures } from './connection.ts'
import { contextProcedures } from './context.ts'
import { dataProcedures } from './data.ts'
import { documentsProcedures } from './documents.ts'
import { imagesProcedures } from './images.ts'
import { libraryProcedures } from './library.ts'
import { mediaProcedures, voiceProcedures } from './media.ts'
import { modelsProcedures } from './models.ts'
import { outboxProcedures } from './outbox.ts'
import { programsProcedures } from './programs.ts'
import { projectsProcedures } from './projects.ts'
import { requestsProcedures } from './requests.ts'
import { retentionProcedures } from './retention.ts'
import { sessionsProcedures } from './sessions.ts'
import { speechProcedures } from './speech.ts'
import { textActionsProcedures } from './textActions.ts'
import { toolsProcedures } from './tools.ts'
import { transcriptionProcedures } from './transcription.ts'
import { archiveProcedures, transfersProcedures } from './transfers.ts'
import { usageProcedures } from './usage.ts'

/** All procedures of the core, one group per feature. */
export const contract = {
  app,
  connection: connectionProcedures,
  models: modelsProcedures,
  chat: chatProcedures,
  context: contextProcedures,
  library: libraryProcedures,
  tools: toolsProcedures,
  textActions: textActionsProcedures,
  media: mediaProcedures,
  documents: documentsProcedures,
  projects: projectsProcedures,
  voice: voiceProcedures,
  speech: speechProcedures,
  transcription: transcriptionProcedures,
  images: imagesProcedures,
  transfers: transfersProcedures,
  archive: archiveProcedures,
  apps: appsProcedures,
  programs: programsProcedures,
  requests: requestsProcedures,
  sessions: sessionsProcedures,
  usage: usageProcedures,
  limits: limitsProcedures,
  keys: keysProcedures,
  alerts: alertsProcedures,
  data: dataProcedures,
  outbox: outboxProcedures,
  retention: retentionProcedures,
}
export type Contract = typeof contract
