// What all telemetry of a process says about it.
import { randomUUID } from 'node:crypto';
import { detectResources, type Resource, resourceAttributesEnvDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { ATTR_SERVICE_INSTANCE_ID, ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions';
import packageJson from '../../package.json' with { type: 'json' };

/** `OTEL_RESOURCE_ATTRIBUTES` is read by the SDK; `OTEL_SERVICE_NAME` replaces the name in it. */
export function createResource(serviceName: string | undefined): Resource {
  const own = { [ATTR_SERVICE_NAME]: 'tidegate', [ATTR_SERVICE_VERSION]: packageJson.version, [ATTR_SERVICE_INSTANCE_ID]: randomUUID() };
  const named = serviceName === undefined ? {} : { [ATTR_SERVICE_NAME]: serviceName };
  return resourceFromAttributes(own)
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
    .merge(resourceFromAttributes(named));
}
