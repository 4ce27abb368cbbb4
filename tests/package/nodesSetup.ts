import { hasNode, nodeBinary } from './nodes.ts'

/** Downloads the Node versions once before the test files, which run at the same time. */
export default function setup(): void {
  if (hasNode('lowest')) nodeBinary('lowest')
}
