import { navigate } from '../../shared/navigation.ts'
import { offerNewChat } from '../../shared/newChatDraft.ts'
import { offerSpeech } from '../../stores/speech.ts'

/** Copies the text into the composer of a new chat, without sending. */
export function sendToChat(text: string): void {
  offerNewChat(text.trim())
  navigate({ page: 'chat', id: null })
}

/** Appends the text to the Speech draft, without speaking. */
export function speakIt(text: string): void {
  offerSpeech(text.trim())
  navigate({ page: 'speech', id: null })
}
