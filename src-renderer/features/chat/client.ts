import { createFeatureClient } from '../../shared/featureClient.ts'
import { useChat } from '../../stores/chat.ts'

/** `attempt` shows a failed call as a notice of the page. */
export const { client, setClient, attempt } = createFeatureClient((problem) => useChat.setState({ notice: problem }))
