import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { call } from './call.js';

await call(({ origin, key, options }) => {
  const credentials = { accessKeyId: key, secretAccessKey: 'secret' };
  const client = new S3Client({ endpoint: origin, region: 'us-east-1', credentials, forcePathStyle: true, ...options });
  const object = { Bucket: 'bucket', Key: 'object' };
  return {
    read: () => client.send(new GetObjectCommand(object)),
    write: () => client.send(new PutObjectCommand({ ...object, Body: 'hello' })),
  };
});
