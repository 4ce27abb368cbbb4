import { createFeatureClient } from '../../shared/featureClient.ts'
import { useChat } from '../../stores/chat.ts'

/** The page's notice shows a failed call of `attempt`. */
export const { client, setClient, attempt } = createFeatureClient((problem) => useChat.setState({ notice: problem }))
