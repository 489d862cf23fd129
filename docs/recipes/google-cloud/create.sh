#!/usr/bin/env bash
# A backend service for wirebin, which listens on port 8080 of a zonal network endpoint group.
set -euo pipefail
: "${NEG:?its name}" "${ZONE:?its zone}" "${NETWORK:?its network}"

gcloud compute health-checks create http wirebin \
  --port=8080 --request-path=/readyz --check-interval=5s --timeout=2s \
  --healthy-threshold=2 --unhealthy-threshold=2

# Health checks, and the front ends of global load balancers, come from these addresses.
gcloud compute firewall-rules create wirebin-from-load-balancers \
  --network="$NETWORK" --allow=tcp:8080 --source-ranges=35.191.0.0/16,130.211.0.0/22

# A response may take 5 minutes, as --max-duration allows; the default is 30 s.
gcloud compute backend-services create wirebin --global \
  --load-balancing-scheme=EXTERNAL_MANAGED --protocol=HTTP --health-checks=wirebin \
  --timeout=300s --connection-draining-timeout=45s
gcloud compute backend-services add-backend wirebin --global \
  --network-endpoint-group="$NEG" --network-endpoint-group-zone="$ZONE" \
  --balancing-mode=RATE --max-rate-per-endpoint=1000
