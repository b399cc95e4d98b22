import {
  createRegistryClient,
  dockerCredentials,
  formatImageName,
  formatPlatform,
  parseImageName,
} from '@kurator/registry';

const [text = 'nginx:1.29'] = process.argv.slice(2);
const { tag = 'latest', ...place } = parseImageName(text);
await using registries = createRegistryClient({ credentials: dockerCredentials() });
const repository = registries.repository(place);

// One HEAD request: what the tag stands for just now, as a pod would pin it.
const digest = await repository.digest(tag);
if (!digest) throw new Error(`${text} is not there`);
process.stdout.write(`${formatImageName({ ...place, tag, digest })}\n`);

const platforms = await repository.platforms(digest);
process.stdout.write(`for ${platforms.map(formatPlatform).join(', ')}\n`);

for await (const each of repository.tags()) process.stdout.write(`tag ${each}\n`);
for (const { artifactType } of await repository.referrers(digest)) process.stdout.write(`has ${artifactType}\n`);
