import { navigate } from '../../shared/navigation.ts'
import { offerNewChat } from '../../shared/newChatDraft.ts'
import { offerSpeech } from '../../stores/speech.ts'

/** Into the composer of a new chat; nothing is sent. */
export function sendToChat(text: string): void {
  offerNewChat(text.trim())
  navigate({ page: 'chat', id: null })
}

/** Into the Speech room's field; nothing is asked for. */
export function speakIt(text: string): void {
  offerSpeech(text.trim())
  navigate({ page: 'speech', id: null })
}
