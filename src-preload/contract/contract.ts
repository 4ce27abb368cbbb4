import { keysRoom, limitsRoom } from './account.ts'
import { alertsRoom } from './alerts.ts'
import { app } from './app.ts'
import { toolsRoom } from './apps.ts'
import { chatRoom } from './chat.ts'
import { connectionRoom } from './connection.ts'
import { dataRoom } from './data.ts'
import { imagesRoom } from './images.ts'
import { libraryRoom } from './library.ts'
import { mediaRoom, voiceRoom } from './media.ts'
import { modelsRoom } from './models.ts'
import { waitingRoom } from './outbox.ts'
import { requestsRoom } from './requests.ts'
import { eraseRoom } from './retention.ts'
import { speechRoom } from './speech.ts'
import { chatToolsRoom } from './tools.ts'
import { transcribeRoom } from './transcription.ts'
import { archiveRoom, transfersRoom } from './transfers.ts'
import { usageRoom } from './usage.ts'

/** Everything the renderer can ask of the core, one entry a room. */
export const contract = {
  app,
  connection: connectionRoom,
  models: modelsRoom,
  chat: chatRoom,
  library: libraryRoom,
  chatTools: chatToolsRoom,
  media: mediaRoom,
  voice: voiceRoom,
  speech: speechRoom,
  transcribe: transcribeRoom,
  images: imagesRoom,
  transfers: transfersRoom,
  archive: archiveRoom,
  tools: toolsRoom,
  requests: requestsRoom,
  usage: usageRoom,
  limits: limitsRoom,
  keys: keysRoom,
  alerts: alertsRoom,
  data: dataRoom,
  waiting: waitingRoom,
  erase: eraseRoom,
}
export type Contract = typeof contract
