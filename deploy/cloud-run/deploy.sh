#!/bin/sh
# Deploys dt-server to Cloud Run:
#   PROJECT_ID=my-project A2A_GCS_BUCKET=my-tasks DT_HOSTS=dt.example sh deploy/cloud-run/deploy.sh
# The bucket and the secret dt-gemini-key must exist. See docs/guides/deploy.md.
set -eu

# Build and push container
gcloud builds submit --tag "gcr.io/${PROJECT_ID}/a2a-server"

# Deploy to Cloud Run
gcloud run deploy a2a-server \
  --image "gcr.io/${PROJECT_ID}/a2a-server" \
  --platform managed \
  --region "${REGION:-us-central1}" \
  --set-env-vars "GOOGLE_CLOUD_PROJECT=${PROJECT_ID},DT_STORE=gcs,A2A_GCS_BUCKET=${A2A_GCS_BUCKET},DT_ALLOWED_HOSTS=${DT_HOSTS},DT_TRUST_PROXY=true,DT_SHUTDOWN_GRACE_MS=8000" \
  --set-secrets "GEMINI_API_KEY=dt-gemini-key:latest" \
  --port 8080 \
  --timeout 3600 \
  --no-cpu-throttling \
  --min-instances 1 \
  --max-instances 1 \
  --memory 2Gi \
  --allow-unauthenticated
