import type { Brief, ReplyDraft } from './brief.ts'
import { describeImage } from './images.ts'
import { imagesOf } from './request.ts'

/** Reports measurable facts about each image of the conversation, and nothing about its contents. */
export async function describeImages({ request }: Brief): Promise<ReplyDraft> {
  const urls = request.messages.flatMap((message) => imagesOf(message.content))
  if (urls.length === 0) {
    return {
      content:
        'No image came with this conversation. Attach one, and its dimensions and mean colour will be stated here.',
    }
  }
  const lines: string[] = []
  for (const [index, url] of urls.entries()) lines.push(`**Image ${index + 1}.** ${await describeImage(url)}`)
  return { content: `${lines.join('\n\n')}\n` }
}
