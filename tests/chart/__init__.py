"""Tests of the chart by rendering it with both majors of Helm; one file for each topic of its templates."""
